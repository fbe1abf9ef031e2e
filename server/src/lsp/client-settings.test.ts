/** Which of the ways in which a client tells settings counts. */
import { expect, test } from "vitest";
import { ClientSettings } from "./client-settings.ts";

const gpu = (id: string): { readonly gpu: string } => ({ gpu: id });

function told({ start, push }: { readonly start?: unknown; readonly push?: unknown }): ClientSettings {
  const settings = new ClientSettings();
  settings.start(start);
  if (push !== undefined) settings.push(push);
  return settings;
}

test.each<readonly [string, ClientSettings, unknown, unknown]>([
  ["what it answers goes before what it said", told({ start: { warplens: gpu("t4") } }), gpu("l4"), gpu("l4")],
  ["an empty answer says nothing, as of a client that knows no section of ours", told({ start: { warplens: gpu("t4") } }), {}, gpu("t4")],
  ["nor does an empty change", told({ start: { warplens: gpu("t4") }, push: {} }), undefined, gpu("t4")],
  ["a change goes before the first words", told({ start: { warplens: gpu("t4") }, push: { warplens: gpu("l4") } }), {}, gpu("l4")],
  ["an empty answer, where nothing else was said, is none the less one", told({}), {}, {}],
])("%s", (_, settings, pulled, expected) => expect(settings.section(pulled)).toEqual(expected));
