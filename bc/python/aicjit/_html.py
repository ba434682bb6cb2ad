"""What objects show of themselves in notebooks."""

import html


def html_text(text):
    """Text as it is, in lines."""
    return "<pre>%s</pre>" % html.escape(text)


def html_table(heads, rows, caption):
    """A table of values, which are written as text."""
    lines = ["<table><caption>%s</caption>" % html.escape(caption)]
    for kind, those in (("th", heads), ("td", rows)):
        lines += ["<tr>%s</tr>" % "".join("<%s>%s</%s>" % (kind, html.escape(str(value)), kind) for value in row)
                  for row in those]
    return "\n".join(lines + ["</table>"])
