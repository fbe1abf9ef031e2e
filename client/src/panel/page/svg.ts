/** Drawings: made of parts, and given away with the colours that they have on the page. */
import { element } from "./dom.ts";

const namespace = "http://www.w3.org/2000/svg";

export function shape(tag: string, attributes: Readonly<Record<string, string | number>>, text?: string): SVGElement {
  const made = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  if (text !== undefined) made.append(text);
  return made;
}

/** Properties that the page's style gives a drawing. */
const styled = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "opacity"] as const;

/** The drawing as a file of its own, on the page's background. */
function textOf(svg: SVGElement, title: string): string {
  const copy = svg.cloneNode(true) as SVGElement;
  const originals = [svg, ...svg.querySelectorAll("*")];
  for (const [index, part] of [copy, ...copy.querySelectorAll("*")].entries()) {
    const style = getComputedStyle(originals[index] as Element);
    for (const name of styled) part.setAttribute(name, style.getPropertyValue(name));
    part.removeAttribute("class");
  }
  const [width = "0", height = "0"] = [svg.getAttribute("width") ?? undefined, svg.getAttribute("height") ?? undefined];
  const background = getComputedStyle(document.body).backgroundColor;
  copy.prepend(shape("title", {}, title), shape("rect", { width, height, fill: background }));
  copy.setAttribute("xmlns", namespace);
  return new XMLSerializer().serializeToString(copy);
}

/** What is told of a drawing that the user wants to have. */
export interface Exported {
  readonly title: string;
  readonly svg: string;
}

/** A button that gives the drawing away: the page listens to `export`. */
export const exportButton = (id: string, title: string, svg: SVGElement): HTMLElement =>
  element(
    "button",
    {
      id,
      class: "link",
      title: "Export as SVG",
      "aria-label": `Export as SVG: ${title}`,
      click: ({ target }) =>
        (target as HTMLElement).dispatchEvent(
          new CustomEvent<Exported>("export", { bubbles: true, detail: { title, svg: textOf(svg, title) } }),
        ),
    },
    "SVG",
  );
