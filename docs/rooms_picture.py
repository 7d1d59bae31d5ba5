"""Draw the rooms of the package and their imports for CONTRIBUTING.md: ``python docs/rooms_picture.py``."""

import ast
import tomllib
from pathlib import Path

TOP = Path(__file__).parent.parent
PICTURE = TOP / "docs" / "images" / "rooms.svg"
ROW, BOX, GAP = 62, 24, 14
CHARACTER = 7.4
WIDTH = 820


def layers() -> list[list[str]]:
    """Return the rooms of each layer, from the top down, as the import contract in pyproject.toml has them."""
    contracts = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    return [[room.strip() for room in line.split("|")] for line in contracts[0]["layers"]]


def imports() -> dict[str, set[str]]:
    """Return the rooms that each room imports, lazy imports included."""
    package = TOP / "rocpredict"
    found: dict[str, set[str]] = {room: set() for layer in layers() for room in layer}
    for path in package.rglob("*.py"):
        room = path.relative_to(package).with_suffix("").parts[0]
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "rocpredict":
                parts = (node.module or "").split(".")[1:]
                targets = {parts[0]} if parts else {alias.name for alias in node.names}
                if room in found:
                    found[room] |= {target for target in targets if target in found and target != room}
    return found


def direct(found: dict[str, set[str]]) -> dict[str, set[str]]:
    """Leave out the arrows that a longer path implies."""

    def below(room: str) -> set[str]:
        return found[room] | {lower for near in found[room] for lower in below(near)}

    return {
        room: {target for target in near if not any(target in below(other) for other in near - {target})}
        for room, near in found.items()
    }


def draw() -> str:
    """Return the picture as SVG."""
    rows = [layer for layer in layers() if not all(room.startswith("_") for room in layer)]
    place: dict[str, tuple[float, float, float]] = {}
    for row, layer in enumerate(rows):
        widths = [len(room) * CHARACTER + 20 for room in layer if not room.startswith("_")]
        x = (WIDTH - sum(widths) - GAP * (len(widths) - 1)) / 2
        for room, width in zip([room for room in layer if not room.startswith("_")], widths, strict=True):
            place[room] = (x, 12 + row * ROW, width)
            x += width + GAP
    height = 12 + (len(rows) - 1) * ROW + BOX + 12
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    marker = '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="DejaVu Sans Mono, monospace" font-size="12">',
        "<title>Rooms of rocpredict; an arrow points from a room to one that it imports</title>",
        f'<defs>{marker}<path d="M0 0L8 4L0 8z" fill="#6b7280"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for room, targets in sorted(direct(imports()).items()):
        for target in sorted(targets):
            if room in place and target in place:
                (x0, y0, w0), (x1, y1, w1) = place[room], place[target]
                start, end = (x0 + w0 / 2, y0 + BOX), (x1 + w1 / 2, y1)
                out.append(
                    f'<path d="M{start[0]:.1f} {start[1]}C{start[0]:.1f} {start[1] + 22} {end[0]:.1f} {end[1] - 22} '
                    f'{end[0]:.1f} {end[1]}" fill="none" stroke="#9ca3af" marker-end="url(#tip)"/>'
                )
    for room, (x, y, width) in place.items():
        out.append(
            f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{BOX}" rx="4" fill="#eef2ff" stroke="#4f46e5"/>'
        )
        out.append(f'<text x="{x + width / 2:.1f}" y="{y + 16}" text-anchor="middle" fill="#111827">{room}</text>')
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(draw(), "utf-8")
