// The dots below the axis of the densities: large if the person is called positive, small otherwise. And the
// histograms and rugs of observations.
import { placeDots, splitDots } from "./dots.js";
import { createSvgElement, setAttributes } from "./elements.js";
import { CLASS_STYLES, toPathData } from "./svg.js";

export const CLASS_KEYS = Object.keys(CLASS_STYLES);

export function createDotMarks(layer) {
  const paths = {};
  for (const classKey of CLASS_KEYS) {
    for (const call of ["other", "called"]) {
      const { color, cap } = CLASS_STYLES[classKey], style = { stroke: color, "stroke-linecap": cap };
      paths[classKey + call] = createSvgElement("path", { fill: "none", ...style, "data-dots": `${classKey} ${call}` });
    }
  }
  layer.append(...Object.values(paths));
  let placed = null, placedKey = [];
  return {
    draw({ state, dots, answer: { curve, rates } }, { x, range, width, base, stripHeight, key }) {
      const nextKey = [...key, ...Object.values(dots), state.direction];
      if (nextKey.some((value, i) => value !== placedKey[i])) {
        const box = { x, range, width: width - 20, height: stripHeight };
        placed = placeDots(curve, dots, state.direction, box);
        placedKey = nextKey;
        setAttributes(layer, { transform: `translate(0 ${base + 3})` });
      }
      for (const group of placed.classes) {
        const isNegative = group.classKey === "negative", rate = isNegative ? rates.fpr : rates.tpr;
        splitDots(group, rate, state.direction).forEach((d, i) => {
          const size = i ? (isNegative ? 0.9 : 0.84) : (isNegative ? 0.46 : 0.44);
          setAttributes(paths[group.classKey + ["other", "called"][i]], { d, "stroke-width": size * placed.pitch });
        });
      }
    },
  };
}

// ---- observations: histograms and rugs
export function createDataMarks({ observations, state }, layout) {
  if (!observations || !state.empirical) return [];
  return CLASS_KEYS.flatMap((classKey, i) => createHistogramAndRug(observations, classKey, layout, layout.weights[i]));
}

function createHistogramAndRug(observations, classKey, { x, y, base }, weight) {
  const { color: stroke } = CLASS_STYLES[classKey], bars = observations.histograms[classKey];
  const tops = bars.map(({ density }) => Math.max(0, y(density * weight)));
  const outline = toPathData(bars.flatMap(({ from, to }) => [x(from), x(to)]), tops.flatMap((top) => [top, top]));
  const histogram = `M${x(bars[0].from)} ${base}${outline.replace("M", "L")}V${base}`;
  const rugY = classKey === "negative" ? base : base - 5;
  const rug = observations[classKey].map((value) => `M${x(value).toFixed(1)} ${rugY}v-5`).join("");
  const style = { fill: stroke, "fill-opacity": 0.08, stroke, "stroke-opacity": 0.7 };
  return [createSvgElement("path", { d: histogram, ...style, "data-histogram": classKey }),
    createSvgElement("path", { d: rug, stroke, "stroke-opacity": 0.55, "data-rug": classKey })];
}
