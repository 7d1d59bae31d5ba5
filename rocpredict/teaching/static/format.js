// Numbers formatted for the reader's language. Independent of the document.
export const truncateName = (name, most = 40) => name.length > most ? `${name.slice(0, most - 1)}…` : name;
export const clamp = (value, [low, high]) => Math.min(Math.max(value, low), high);

export function createFormatter(decimalSeparator) {
  const isEnglish = decimalSeparator === ".";
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

  // Rates have three decimals, as in the results and reports of the library: 0.866, in German 0,866.
  function formatRate(value) {
    if (value > 0 && value < 0.0005) return `<${formatFixed(0.001)}`;
    return value < 1 && value >= 0.9995 ? `>${formatFixed(0.999)}` : formatFixed(value);
  }

  // Counts have groups of three digits: from 1,000 in English, from 10 000 in other languages.
  const formatCount = (value) =>
    isEnglish || value >= 10000 ? String(value).replace(/\B(?=(\d{3})+$)/g, isEnglish ? "," : "\u202f") : String(value);
  // As rates, percentages are 0% and 100% only if they are exactly that.
  const formatPrevalence = (value) =>
    formatPercent(value, Math.abs(value - 0.5) > 0.4 && Math.abs(value * 100 % 1) > 1e-9 ? 1 : 0);
  const formatPercent = (value, digits = 0) => {
    const bound = digits || value <= 0 || value >= 1 ? "" : value < 0.005 ? "<1" : value >= 0.995 ? ">99" : "";
    return `${bound || formatFixed(100 * value, digits)}${isEnglish ? "" : "\u202f"}%`;
  };

  // Numbers of a scale whose smallest step is known; very large and very small ones have an exponent.
  function formatStep(value, step) {
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    return digits > 6 || Math.abs(value) >= 1e7 ? formatSignificant(value) : formatFixed(value, digits);
  }

  // A number as a reader types it, with a decimal comma or point, or NaN.
  const parseTyped = (text) => {
    const plain = text.trim().replaceAll("−", "-").replace(",", ".");
    return plain ? Number(plain) : NaN;
  };

  return {
    formatFixed, formatSignificant, formatRate, formatCount, formatPercent, formatPrevalence,
    formatStep, parseTyped,
  };
}
