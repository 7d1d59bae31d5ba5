// The height of the page, for the document that shows it in a frame, such as a notebook.

/** Sends the height of the page to the enclosing document whenever it changes. */
export function reportHeight(root) {
  if (window.parent === window || !window.ResizeObserver) return;
  let reportedHeight = 0;
  root.classList.add("framed");
  new ResizeObserver(() => {
    const height = Math.ceil(root.getBoundingClientRect().bottom + window.scrollY);
    if (Math.abs(height - reportedHeight) < 2) return;
    reportedHeight = height;
    window.parent.postMessage({ rocpredictHeight: height }, "*");
  }).observe(root);
}
