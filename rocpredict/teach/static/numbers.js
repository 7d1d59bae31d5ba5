// Numbers as a reader of one language writes them. Nothing of the document.
export const clamped = (value, [low, high]) => Math.min(Math.max(value, low), high);

export function numerals(decimal) {
  const local = (text) => text.replaceAll("-", "−").replace(".", decimal);

  function shown(value, digits = 3) {
    if (Number.isNaN(value)) return "–";
    if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
    return local(value.toFixed(digits));
  }

  function significant(value, digits = 4) {
    if (!Number.isFinite(value) || value === 0) return shown(value, 0);
    const size = Math.floor(Math.log10(Math.abs(value)));
    const plain = size >= -4 && size <= 6;
    return plain ? shown(value, Math.max(0, digits - 1 - size)) : local(value.toExponential(digits - 1));
  }

  function rateShown(value) {
    if (value > 0 && value < 0.0005) return local("<0.001");
    return value < 1 && value >= 0.9995 ? local(">0.999") : shown(value);
  }

  // The words of a question hold decimals too: those are its conditions.
  const written = (sentence) => sentence.replace(/(?<= \d)\.(?=\d)/g, decimal);

  return { shown, significant, rateShown, written };
}
