// Dialogs: a heading, some content and a button that closes.
import { createButton, createHtmlElement } from "./elements.js";

/** Opens a dialog inside the page. It returns the dialog, and removes it when it is closed. */
export function openDialog(root, page, title, ...content) {
  const heading = createHtmlElement("h2", { id: page.createId("dialog") }, title);
  const attributes = { class: "dialog", "aria-labelledby": heading.id, onclose: () => dialog.remove() };
  const closeButton = createButton(page.words.dialog.close, () => dialog.close(), { class: "close" });
  const dialog = createHtmlElement("dialog", attributes, heading, ...content, closeButton);
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  root.append(dialog);
  dialog.showModal();
  return dialog;
}
