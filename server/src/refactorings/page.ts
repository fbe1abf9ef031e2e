/** The refactorings' page in Markdown: `docs/refactorings.md`. */
import { guideReference } from "../rules/rule.ts";
import { kindOf, type Refactoring } from "./refactoring.ts";

const introduction = `# Refactorings

Changes that you may wish for where no rule finds a reason for them: the gain is small, the rule is off or suppressed, or you want to see what
it would do. They stand in the editor's *Refactor* menu (\`Ctrl+Shift+R\` in VS Code) where the cursor stands at what they change, once the
file's launches are simulated.

Each is tried before it is made, as fixes are: the file with it must parse, the launches that it touches are simulated on the same inputs
with it and without, what they leave in memory must be equal (up to rounding where the page says so), and no rule of correctness may find
more than before. What fails is not offered, and the log says why. The title says what the launch takes before and then, also where that is
more: "Pad \`tile\` to [32][33]: 144 to 146 µs". The editor shows a preview with the proof before anything changes, where it can.

A key of yours can apply one by its kind:

\`\`\`json
{ "key": "ctrl+alt+p", "command": "editor.action.codeAction", "args": { "kind": "refactor.rewrite.pad-shared-tile", "apply": "first" } }
\`\`\`

Not among them is an array of structures made a structure of arrays: the proof compares what a launch leaves in the buffers that it is given,
element by element, and cannot yet tell that an array in another order, or cut into several, holds the same; what the host fills and reads
would have to change with it.
`;

export function refactoringsPage(refactorings: readonly Refactoring[]): string {
  const rows = refactorings.map(({ id, summary }) => `| [${id}](#${id}) | ${summary} |`);
  const sections = refactorings.map((each) => section(each));
  return `${introduction}\n| refactoring | does |\n| --- | --- |\n${rows.join("\n")}\n\n${sections.join("\n\n")}\n`;
}

const held = { rounding: "equal up to rounding", faults: "not compared: what it changes was wrong, or fails", spelling: "not compared" };

function section(refactoring: Refactoring): string {
  const { id, summary, where, guide, rules = [], changes, example } = refactoring;
  const reference = guideReference(guide);
  const facts = [
    ["kind", `\`${kindOf(refactoring)}\``],
    ["offered", where],
    ["results", changes ? held[changes] : "equal, bit for bit"],
    ["source", `[${reference.text}](${reference.url})`],
    ...(rules.length > 0 ? [["also the fix of", rules.map((rule) => `[${rule}](rules/${rule}.md)`).join(", ")]] : []),
  ];
  return [
    `## ${id}`,
    summary,
    ["| | |", "| --- | --- |", ...facts.map(([name, value]) => `| ${name} | ${value} |`)].join("\n"),
    `With the cursor at \`${example.cursor}\` of\n\n\`\`\`cuda\n${example.before}\n\`\`\`\n\nit makes\n\n\`\`\`cuda\n${example.after}\n\`\`\``,
  ].join("\n\n");
}
