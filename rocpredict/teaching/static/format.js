// Numbers formatted for the reader's language. Independent of the document.
export const clamp = (value, [low, high]) => Math.min(Math.max(value, low), high);

export function createFormatter(decimalSeparator) {
  const localizeNumber = (text) => text.replaceAll("-", "−").replace(".", decimalSeparator);

  function formatFixed(value, digits = 3) {
    if (Number.isNaN(value)) return "–";
    if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
    return localizeNumber(value.toFixed(digits));
  }

  function formatSignificant(value, digits = 4) {
    if (!Number.isFinite(value) || value === 0) return formatFixed(value, 0);
    const exponent = Math.floor(Math.log10(Math.abs(value)));
    const isPlain = exponent >= -4 && exponent <= 6;
    return isPlain
      ? formatFixed(value, Math.max(0, digits - 1 - exponent)) : localizeNumber(value.toExponential(digits - 1));
  }

  function formatRate(value) {
    if (value > 0 && value < 0.0005) return localizeNumber("<0.001");
    return value < 1 && value >= 0.9995 ? localizeNumber(">0.999") : formatFixed(value);
  }

  // Sentences contain decimal numbers too.
  const localizeDecimals = (sentence) => sentence.replace(/(?<= \d)\.(?=\d)/g, decimalSeparator);

  return { formatFixed, formatSignificant, formatRate, localizeDecimals };
}
