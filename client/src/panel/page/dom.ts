/** Elements in one expression. Nothing is ever parsed as HTML, so text from a source file stays text. */
type Child = Node | string | undefined | false;
type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: Event) => void)>>;

/** An element with attributes and children; a function is a listener (`click`), `false` and `undefined` leave an attribute out. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Child | readonly Child[])[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat().filter((child): child is Node | string => child !== undefined && child !== false));
  return made;
}

/** A section with its heading. */
export function section(title: string, ...children: readonly Child[]): HTMLElement {
  const id = `section-${title.toLowerCase().replaceAll(" ", "-")}`;
  return element("section", { "aria-labelledby": id }, element("h2", { id }, title), ...children);
}

/** A section that is there once its header is clicked. */
export function disclosure(title: string, isOpen: boolean, toggle: () => void, body: () => readonly Child[]): HTMLElement {
  const id = `section-${title.toLowerCase().replaceAll(" ", "-")}`;
  const button = element("button", { id, class: "disclosure", "aria-expanded": isOpen ? "true" : "false", click: toggle }, title);
  return element("section", { "aria-labelledby": id }, element("h2", {}, button), ...(isOpen ? body() : []));
}

/** A horizontal bar. @param share 0 to 1 @param tone a class that says what the bar means @param label what a screen reader says; none where text beside it says the same */
export const bar = (share: number, tone: string, label?: string): HTMLElement => stackedBar([{ share, tone }], label);

/** A bar of several parts, one behind the other. */
export function stackedBar(parts: readonly { readonly share: number; readonly tone: string }[], label?: string): HTMLElement {
  const fills = parts.map(({ share, tone }) => {
    const fill = element("div", { class: `fill ${tone}` });
    // Through the object model: the page's policy forbids style attributes.
    fill.style.width = `${Math.min(Math.max(share, 0), 1) * 100}%`;
    return fill;
  });
  return element("div", { class: "bar", ...(label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" }) }, ...fills);
}

/** Where a bar ended before. @param share 0 to 1 */
export function ghostOf(share: number): HTMLElement {
  const ghost = element("div", { class: "ghost" });
  ghost.style.width = `${Math.min(Math.max(share, 0), 1) * 100}%`;
  return ghost;
}
