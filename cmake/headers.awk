# Writes a public header with its structs spelled out: where it expands a field list,
#
#     #define AIC_FIELD AIC_MEMBER
#     #include <aic/conv2d.def>
#     #undef AIC_FIELD
#
# come the members, each with what AIC_MEANING or AIC_CHOICE says of it, and its rules (AIC_RULE), all with their sources.
# There may be several lists. Both are written in aic/desc.inc, too, which comes in the place of its #include. Where it
# expands another list,
#
#     #define AIC_OP(ENUM, name, count, params, args) AIC_OP_##ENUM,
#     #include <aic/ops.def>
#     #undef AIC_OP
#
# comes what the macro makes of each row. So the installed headers need no list.
#
#     awk -v include=FOLDER -f headers.awk HEADER       FOLDER has aic/field.h and aic/*.def

# The name in AIC_CTYPE_NAME and the C type.
function read_types(    line, parts) {
    while ((getline line < (include "/aic/field.h")) > 0) {
        if (line ~ /^#define AIC_CTYPE_/) {
            split(line, parts, " ")
            types[substr(parts[2], length("AIC_CTYPE_") + 1)] = parts[3]
        }
    }
    close(include "/aic/field.h")
}

# Prints a comment and what it is about, the comment in lines of at most 112 letters.
function print_member(member, meaning,    words, count, i, line) {
    count = split(meaning, words, " ")
    line = "    /*"
    for (i = 1; i <= count; i++) {
        if (length(line) + 1 + length(words[i]) > 112) {
            print line
            line = "     *"
        }
        line = line " " words[i]
    }
    print line " */"
    print "    " member
}

# "text [source]" of the end of a row: text", ORIGIN, "source")
function with_source(text,    origin, before, at) {
    source = ""
    if (!match(text, /", (DOCUMENTED|VENDOR|INFERRED|CHOSEN), /)) {
        return substr(text, 1, length(text) - 2)
    }
    at = RSTART
    origin = substr(text, RSTART + 3, RLENGTH - 5)
    before = origin == "VENDOR" ? "public vendor source: " : origin == "INFERRED" ? "inferred: " : origin == "CHOSEN" ? "our choice: " : ""
    source = substr(text, RSTART + RLENGTH, length(text) - RSTART - RLENGTH)
    sub(/^AIC_ENTRY /, "\"" entry, source)
    gsub(/"/, "", source)
    text = substr(text, 1, at - 1)
    source = before source
    return text " [" source "]"
}

# The rules of a list, in the comments of the first field that they name.
function read_rules(list, rules,    line, fields, text) {
    while ((getline line < list) > 0) {
        if (line ~ /^#define AIC_ENTRY /) {
            entry = substr(line, length("#define AIC_ENTRY ") + 2)
            sub(/"$/, "", entry)
        } else if (line ~ /^#include <aic\//) {
            sub(/^#include </, "", line)
            sub(/>$/, "", line)
            read_rules(include "/" line, rules)
        } else if (line ~ /^AIC_RULE\(/) {
            text = substr(line, index(line, ", \"") + 3)
            fields = substr(text, 1, index(text, "\"") - 1)
            sub(/ .*/, "", fields)
            text = with_source(substr(text, index(text, "\", \"") + 4))
            if (!(fields in rules) || index(rules[fields], text) == 0) {
                rules[fields] = rules[fields] (fields in rules && rules[fields] != "" ? "; " : " Rules: ") text
            }
        }
    }
    close(list)
}

# The rules of a field, without the sources that are the field's own.
function without_own(rules, own,    at) {
    own = " [" own "]"
    while ((at = index(rules, own)) > 0) {
        rules = substr(rules, 1, at - 1) substr(rules, at + length(own))
    }
    return rules
}

function print_members(list,    line, parts, order, count, i, meanings, members, text, rules, own) {
    read_rules(list, rules)
    while ((getline line < list) > 0) {
        if (line ~ /^AIC_FIELD\(/) {
            split(substr(line, length("AIC_FIELD(") + 1), parts, ", ")
            order[++count] = parts[2]
            members[parts[2]] = types[parts[1]] " " parts[2] (parts[3] > 1 ? "[" parts[3] "]" : "") ";"
        } else if (line ~ /^AIC_(MEANING|CHOICE)\(/) {
            text = line
            sub(/^AIC_CHOICE\([a-z_0-9]+, "[A-Z0-9]+"/, "&\001", text) # the row of the decision
            sub(/, "[A-Z0-9]+"\001/, "", text)
            sub(/^AIC_(MEANING|CHOICE)\(/, "", text)
            i = index(text, ", \"")
            meanings[substr(text, 1, i - 1)] = with_source(substr(text, i + 3))
            own[substr(text, 1, i - 1)] = source
        }
    }
    close(list)
    for (i = 1; i <= count; i++) {
        if (!(order[i] in meanings)) {
            print list ": " order[i] " has no meaning" > "/dev/stderr"
            exit failed = 1
        }
        print_member(members[order[i]], meanings[order[i]] (order[i] in rules ? "." without_own(rules[order[i]], own[order[i]]) : ""))
    }
}

# What NAME_init() puts in: "made.field = value;", an entry after the other. What is 0 is so already.
function print_initials(list,    line, parts, i) {
    while ((getline line < list) > 0) {
        if (line ~ /^AIC_FIELD\(/) {
            sub(/\)$/, "", line)
            split(substr(line, length("AIC_FIELD(") + 1), parts, ", ")
            for (i = 0; i < parts[3] && parts[5] != "0" && parts[5] != "false"; i++) {
                print "    made." parts[2] (parts[3] > 1 ? "[" i "]" : "") " = " parts[5] ";"
            }
        }
    }
    close(list)
}

# Parts of `text` between commas that are in no parentheses and quotes; their number.
function split_arguments(text, arguments,    i, letter, depth, quoted, count) {
    count = 1
    arguments[1] = ""
    for (i = 1; i <= length(text); i++) {
        letter = substr(text, i, 1)
        if (letter == "\"" && substr(text, i - 1, 1) != "\\") {
            quoted = !quoted
        }
        depth += quoted ? 0 : letter == "(" ? 1 : letter == ")" ? -1 : 0
        if (letter == "," && depth == 0 && !quoted) {
            arguments[++count] = ""
        } else if (letter != " " || arguments[count] != "") {
            arguments[count] = arguments[count] letter
        }
    }
    return count
}

# The macro's text with the values of its parameters in their places.
function replaced(text, value,    out, word) {
    while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
        word = substr(text, RSTART, RLENGTH)
        out = out substr(text, 1, RSTART - 1) (word in value ? value[word] : word)
        text = substr(text, RSTART + RLENGTH)
    }
    out = out text
    gsub(/ *## */, "", out)
    return out
}

# Prints what the macro of this definition makes of the rows of a list. A row's meaning that the macro does not
# take follows as a comment.
function print_rows(definition, list,    head, name, body, parameters, arguments, value, i, line, count, rows) {
    head = substr(definition, length("#define ") + 1, index(definition, ")") - length("#define ") - 1)
    body = substr(definition, index(definition, ")") + 1)
    name = substr(head, 1, index(head, "(") - 1)
    count = split(substr(head, length(name) + 2), parameters, ", ")
    sub(/^[ \n]*/, "", body)
    gsub(/\n    /, "\n", body)
    while ((getline line < list) > 0) {
        if (index(line, name "(") != 1) {
            continue
        }
        line = substr(line, length(name) + 2, length(line) - length(name) - 2)
        if (split_arguments(line, arguments) != count) {
            print list ": " line ": does not have " count " values" > "/dev/stderr"
            exit failed = 1
        }
        for (i = 1; i <= count; i++) {
            if (sub(/^AIC_OPERANDS\(/, "", arguments[i])) {
                sub(/\)$/, "", arguments[i])
            }
            value[parameters[i]] = arguments[i]
        }
        if (index(body, "\n") > 0) { # functions
            print (rows > 0 ? "\n" : "") replaced(body, value)
        } else {
            line = "    " replaced(body, value)
            if ("meaning" in value) {
                line = line " /* " substr(value["meaning"], 2, length(value["meaning"]) - 2) " */"
            }
            print line
        }
        rows++
    }
    close(list)
    if (rows == 0) {
        print list ": no row of " name > "/dev/stderr"
        exit failed = 1
    }
}

BEGIN { read_types() }

/^#define AIC_FIELD AIC_INITIAL$/ {
    while ((getline list) > 0 && list !~ /^#undef/) {
        sub(/^#include </, include "/", list)
        sub(/>$/, "", list)
        print_initials(list)
    }
    next
}

/^#define AIC_FIELD AIC_MEMBER$/ {
    while ((getline list) > 0 && list !~ /^#undef/) {
        sub(/^#include </, include "/", list)
        sub(/>$/, "", list)
        print_members(list)
    }
    next
}

/^#define AIC_DESC / { desc = $3; next }

/^#define AIC_LIST / {
    desc_list = $3
    sub(/^</, include "/", desc_list)
    sub(/>$/, "", desc_list)
    next
}

/^#include <aic\/desc\.inc>$/ {
    inc = include "/aic/desc.inc"
    while ((getline line < inc) > 0 && line != "") { } # what it is about
    while (line != "}" && (getline line < inc) > 0) {
        gsub(/AIC_INIT\(AIC_DESC\)/, desc "_init", line)
        gsub(/AIC_DESC/, desc, line)
        if (line == "#define AIC_FIELD AIC_MEMBER") {
            print_members(desc_list)
        } else if (line == "#define AIC_FIELD AIC_INITIAL") {
            print_initials(desc_list)
        } else if (line !~ /^#/) {
            print line
        }
    }
    close(inc)
    next
}

/^#define AIC_OPERANDS\(|^#undef AIC_OPERANDS$/ { next }

# A macro: its lines stay where no list follows.
/^#define AIC_[A-Z]+\(/ {
    macro = definition = $0
    while (macro ~ /\\$/ && (getline line) > 0) {
        sub(/ *\\$/, "", definition)
        definition = definition "\n" line
        macro = macro "\n" line
    }
    if ((getline line) <= 0 || line !~ /^#include <aic\/[a-z_]*\.def>$/) {
        print macro
        print line
        next
    }
    sub(/^#include </, include "/", line)
    sub(/>$/, "", line)
    print_rows(definition, line)
    getline # its #undef
    next
}

{ sub(/^#include <aic\/field\.h>$/, "#include <aic/types.h>") }

{ print }
