// The QR code of the address of the page, with its state.
import { openDialog } from "./dialog.js";
import { createHtmlElement, createSvgElement } from "./elements.js";
import { toHash } from "./state.js";

const QUIET_ZONE = 4, CORRECTION_LEVEL = { minCorrectionLevel: 1 };

/** Returns the address that others can open, with the state, or null if the page has none. */
export function getPublicAddress({ state, payload }) {
  const address = location.protocol.startsWith("http") ? location.href.split("#")[0] : payload.url;
  return address ? `${address}#${toHash(state, payload)}`.replace(/#$/, "") : null;
}

/** Returns the QR code of a text as a plot, black on white in every theme, or null if the text is too long. */
export function createQrPlot(text, label) {
  try {
    const code = generateQrCode(text, CORRECTION_LEVEL), size = code.size + 2 * QUIET_ZONE;
    const positions = [...Array(code.size).keys()];
    const path = positions.flatMap((y) => positions.filter((x) => code.get(x, y))
      .map((x) => `M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z`)).join("");
    return createSvgElement("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label },
      createSvgElement("rect", { width: size, height: size, fill: "#ffffff" }),
      createSvgElement("path", { d: path, fill: "#000000", "shape-rendering": "crispEdges" }));
  } catch {
    return null;
  }
}

/** Shows the QR code of the current state, with the address in text. */
export function showQrCode(root, page) {
  const address = getPublicAddress(page), words = page.words.dialog;
  if (!address || root.querySelector("dialog[open]")) return;
  const plot = createQrPlot(address, words.qrlabel);
  openDialog(root, page, words.qr, plot, createHtmlElement("p", { class: "address" }, address));
}
