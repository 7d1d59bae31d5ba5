// The bar with its menus, and the panel with its tabs.
import { createCaseSelect, createViewControls } from "./controls.js";
import { createButton, createHtmlElement } from "./elements.js";
import { createExportPanel, createSaveButtons } from "./export.js";
import { getPublicAddress } from "./qr.js";
import { PANELS } from "./state.js";

export function createBar(page, views) {
  const words = page.words.page, exportPanel = createExportPanel(page), title = page.payload.title;
  const button = (key, action) => createButton(words.buttons[key], action);
  const saves = ["densities", "roc"].map((name) => createSaveButtons(page, name, views[name].svg));
  const share = createMenu(page, "share", [
    button("link", exportPanel.exportLink), getPublicAddress(page) ? button("qr", page.showQrCode) : null,
    button("python", exportPanel.exportPython), button("embed", exportPanel.exportEmbed), exportPanel.element,
    ...saves, button("print", () => window.print()),
  ]);
  const menu = createMenu(page, "menu", [
    createViewControls(page), button("reset", page.resetState), button("help", page.showHelp)]);
  const lecture = createButton("", page.toggleLecture, { class: "quiet" });
  page.inputs.lecture = {
    update() { lecture.textContent = words.buttons[page.state.lecture ? "endlecture" : "lecture"]; },
  };
  return createHtmlElement("header", { class: "bar toolbar" },
    title ? createHtmlElement("span", { class: "title", "aria-hidden": "true" }, title) : null,
    createCaseSelect(page), lecture, share, menu);
}

// A menu is a list under its button. It closes after Escape and outside clicks.
function createMenu(page, name, children) {
  const words = page.words.page, list = createHtmlElement("div", { class: "menu-list" }, ...children);
  const attributes = { class: "quiet", "aria-label": words.buttons[name] };
  const summary = createHtmlElement("summary", attributes, name === "menu" ? "⋯" : words.buttons[name]);
  const menu = createHtmlElement("details", { class: `menu ${name}` }, summary, list);
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    menu.open = false;
    summary.focus();
  });
  page.root.addEventListener("pointerdown", (event) => { if (!menu.contains(event.target)) menu.open = false; });
  return menu;
}

export function createPanel(page, contents, messages, card) {
  const words = page.words.page, bodies = {}, tabs = {};
  for (const name of PANELS) {
    const id = page.createId(`panel-${name}`), attributes = { role: "tab", "aria-controls": id, "data-tab": name };
    tabs[name] = createButton(words.panels[name], () => page.set({ panel: name }), attributes);
    tabs[name].id = page.createId(`tab-${name}`);
    const body = { role: "tabpanel", id, "aria-labelledby": tabs[name].id, class: "panel-body", tabindex: -1 };
    bodies[name] = createHtmlElement("div", body, ...contents[name] ?? []);
  }
  const list = createHtmlElement("div", { class: "tabs", role: "tablist", "aria-label": words.sections.panel },
    ...Object.values(tabs));
  list.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key], names = PANELS.filter((name) => !tabs[name].hidden);
    if (!step) return;
    const next = names.at((names.indexOf(event.target.dataset.tab) + step) % names.length);
    page.set({ panel: next });
    tabs[next].focus();
    event.preventDefault();
  });
  const element = createHtmlElement("aside", { class: "panel", "aria-label": words.sections.panel }, list,
    messages, ...Object.values(bodies), card);

  // The table is a tab of narrow pages only.
  function draw(isNarrow) {
    const fallback = isNarrow && page.state.step < 0 ? "table" : "lesson";
    const name = page.state.panel && (isNarrow || page.state.panel !== "table") ? page.state.panel : fallback;
    const shown = name === "lesson" && !page.payload.lesson ? (isNarrow ? "table" : "numbers") : name;
    page.root.dataset.panel = shown;
    for (const [key, tab] of Object.entries(tabs)) {
      tab.hidden = (key === "table" && !isNarrow) || (key === "lesson" && !page.payload.lesson);
      tab.setAttribute("aria-selected", key === shown);
      tab.tabIndex = key === shown ? 0 : -1;
      bodies[key].hidden = key !== shown;
    }
  }
  return { element, draw };
}

