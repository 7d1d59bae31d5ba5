// The dots below the axis of the densities: large if the person is called positive, small otherwise.
import { countDots, placeDots, splitDots } from "./dots.js";
import { createSvgElement, setAttributes } from "./elements.js";
import { CLASS_STYLES } from "./svg.js";

export function createDotMarks(layer) {
  const paths = {};
  for (const classKey of Object.keys(CLASS_STYLES)) {
    for (const call of ["other", "called"]) {
      const { color, cap } = CLASS_STYLES[classKey], style = { stroke: color, "stroke-linecap": cap };
      paths[classKey + call] = createSvgElement("path", { fill: "none", ...style, "data-dots": `${classKey} ${call}` });
    }
  }
  layer.append(...Object.values(paths));
  let placed = null, placedKey = [];
  return {
    draw({ state, answer: { curve, rates } }, { x, range, width, base, stripHeight, key }) {
      const nextKey = [...key, ...Object.values(countDots(state.prevalence)), state.direction];
      if (nextKey.some((value, i) => value !== placedKey[i])) {
        const box = { x, range, width: width - 20, height: stripHeight };
        placed = placeDots(curve, state, box);
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

