"""A picture of time by layer: two bars a layer, ours and a peer's."""

from xml.sax.saxutils import escape

LINE, LEFT, WIDTH, TOP = 13, 170, 640, 56
COLOURS = "#1f5fa8", "#c8501e"


def draw(title, rows, names):
    """An SVG of rows (layer, time, time)."""
    most = max(max(row[1:]) for row in rows)
    height = TOP + LINE * len(rows) + 8
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" '
           'font-size="10">' % (LEFT + WIDTH + 110, height, LEFT + WIDTH + 110, height),
           '<rect width="100%%" height="100%%" fill="#fff"/><text x="%d" y="20" font-size="15">%s</text>' % (LEFT, escape(title))]
    for i, (name, colour) in enumerate(zip(names, COLOURS)):
        out.append('<rect x="%d" y="32" width="10" height="10" fill="%s"/><text x="%d" y="41">%s: %.0f</text>'
                   % (LEFT + 160 * i, colour, LEFT + 160 * i + 16, escape(name), sum(row[1 + i] for row in rows)))
    for i, (layer, *times) in enumerate(rows):
        top = TOP + LINE * i
        out.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (LEFT - 8, top + 9, escape(layer[-28:])))
        for k, time in enumerate(times):
            out.append('<rect x="%d" y="%d" width="%.1f" height="5" fill="%s"/>'
                       % (LEFT, top + 1 + 5 * k, WIDTH * time / most, COLOURS[k]))
        out.append('<text x="%.1f" y="%d" fill="#555">%s</text>' % (LEFT + WIDTH * max(times) / most + 6, top + 9,
                                                                  " | ".join("%.0f" % time if time else "-" for time in times)))
    return "\n".join(out + ["</svg>", ""])
