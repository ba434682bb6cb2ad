#!/usr/bin/env bash
# Output files: their modes, the umask, links, devices.
# shellcheck disable=SC1091,SC2154 # common.bash defines aicjit, work and the operators
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

fills=(--fill feature_map=zeros --fill weight=zeros)
mode() { stat -c %a "$1"; }
# How each command writes FILE.bin.
run() { "$aicjit" run "$int8" "${fills[@]}" --out "dst=$1"; }
dump() { "$aicjit" dump "$int8" --stage obj -o "$1"; }
for command in run dump; do
    for mask in 022 027 077 002; do
        new=$(printf '%o' $((0666 & ~mask)))
        ok "$command: a new file, umask $mask" sh -c "umask $mask; exec \"\$@\"" sh bash -c "$(declare -f $command)
            aicjit='$aicjit' int8='$int8' fills=(${fills[*]}); $command new$mask.bin"
        ok "$command: its mode, umask $mask" test "$(mode "new$mask.bin")" = "$new"
        rm -f "new$mask.bin"
    done
    for old in 600 640 644 666 755 200; do
        echo old >old.bin
        chmod $old old.bin
        ok "$command: an old file of mode $old" "$command" old.bin
        ok "$command: keeps mode $old" test "$(mode old.bin)" = $old
        ok "$command: is replaced, mode $old" test "$(stat -c %s old.bin)" -gt 4
        chmod u+rw old.bin
        rm -f old.bin
    done
done

# ---- links ----

mkdir -p elsewhere/deep other
for link in 'elsewhere/target.bin' "$work/elsewhere/target.bin" 'other/../elsewhere/target.bin'; do
    rm -f link.bin elsewhere/target.bin
    ln -s "$link" link.bin
    expect "a dangling link to $link" 0 '' run link.bin
    ok "the link to $link stays one" test -L link.bin
    ok "the target of $link is there" test -f elsewhere/target.bin
    chmod 600 elsewhere/target.bin
    expect "a link to $link" 0 '' run link.bin
    ok "the link to $link is still one" test -L link.bin
    ok "the target of $link keeps its mode" test "$(mode elsewhere/target.bin)" = 600
done
rm -f elsewhere/target.bin
ln -s ../../link.bin elsewhere/deep/first.bin
ln -s elsewhere/deep/first.bin chain.bin
expect 'a chain of dangling links' 0 '' run chain.bin
ok 'its end is written' test -f elsewhere/target.bin
ok 'its links stay' test -L chain.bin -a -L elsewhere/deep/first.bin -a -L link.bin
ln -s none/target.bin nowhere.bin
expect 'a link to where no folder is' 2 '"nowhere.bin" cannot be created: No such file' run nowhere.bin
ln -s loop.bin loop.bin
expect 'a link to itself' 2 'cannot be created' run loop.bin
ln -s elsewhere folder.bin
expect 'a link to a folder' 2 'not the name of a file' run folder.bin
# shellcheck disable=SC2016 # the inner shell expands
ok 'a pipe behind a link' bash -c '"$1" dump "$2" --stage asm -o /dev/stdout | grep -q "\.text"' bash "$aicjit" "$int8"

# ---- dumps of the library ----

for mask in 022 077; do
    rm -rf dumps
    mkdir dumps
    expect "AIC_DUMP_DIR, umask $mask" 0 '' sh -c "umask $mask; AIC_DUMP_DIR=dumps exec \"\$@\"" sh "$aicjit" check "$int8"
    modes=$(for file in dumps/*; do mode "$file"; done | sort -u)
    ok "AIC_DUMP_DIR: modes, umask $mask" test "$modes" = "$(printf '%o' $((0666 & ~mask)))"
done
chmod 640 dumps/*
expect 'AIC_DUMP_DIR again' 0 '' env AIC_DUMP_DIR=dumps "$aicjit" check "$int8"
ok 'AIC_DUMP_DIR: modes are kept' test "$(for file in dumps/*; do mode "$file"; done | sort -u)" = 640
ok 'no temporary file is left' test -z "$(find . -name '.aicjit*' -o -name 'aic_*.*.*')"

# A process of the same number was killed while it wrote: its temporary files have the first names that this one thinks of.
# shellcheck disable=SC2016 # for the inner shell
expect 'temporary files of another one' 0 '' bash -c 'for n in 0 1 2; do echo old >"left.txt.$$.$n"; done
    exec "$@"' bash "$aicjit" tune "$int8" --budget 0.01 --db left.txt
ok 'temporary files of another one: the result' grep -q '^# aicjit tuning file' left.txt
ok 'temporary files of another one: they stay' test "$(cat left.txt.*.0 left.txt.*.2)" = "$(printf 'old\nold')"
finish
