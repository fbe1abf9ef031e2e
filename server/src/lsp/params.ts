/**
 * What a client sends, read before it is believed. Readers answer undefined where it is not what it should be; `asked` turns that
 * into the answer of a request.
 */
import {
  type CodeAction,
  type CodeActionContext,
  CodeActionTriggerKind,
  type Diagnostic,
  ErrorCodes,
  type Position,
  type Range,
  ResponseError,
} from "vscode-languageserver";
import { readKeptReport } from "../measured/kept.ts";
import { readOverrides } from "./overrides.ts";
import type {
  AccessReport,
  DidFocusParams,
  KeptReport,
  PanelParams,
  ReadReportParams,
  ReportsParams,
  RulePageParams,
  WatchWarpParams,
  WhatIfParams,
} from "./protocol.ts";

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const countOf = (value: unknown): number | undefined => (Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined);
const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** A place in a text, or past its end: whoever looks there takes the end. */
export function readPosition(value: unknown): Position | undefined {
  const { line, character } = fieldsOf(value);
  const [at, column] = [countOf(line), countOf(character)];
  return at === undefined || column === undefined ? undefined : { line: at, character: column };
}

/** From the first of its ends to the last, whichever is given first. */
export function readRange(value: unknown): Range | undefined {
  const [a, b] = [readPosition(fieldsOf(value).start), readPosition(fieldsOf(value).end)];
  if (!a || !b) return undefined;
  return a.line < b.line || (a.line === b.line && a.character <= b.character) ? { start: a, end: b } : { start: b, end: a };
}

/** The document that parameters are about. */
export const readUri = (params: unknown): string | undefined => textOf(fieldsOf(fieldsOf(params).textDocument).uri);

export interface Opened {
  readonly uri: string;
  readonly languageId: string;
  /** Undefined where the client gives none. */
  readonly version: number | undefined;
  readonly text: string;
}

export function readOpened(params: unknown): Opened | undefined {
  const { uri, languageId, version, text } = fieldsOf(fieldsOf(params).textDocument);
  const [from, content] = [textOf(uri), textOf(text)];
  if (from === undefined || content === undefined) return undefined;
  return { uri: from, languageId: textOf(languageId) ?? "", version: readVersion(version), text: content };
}

export interface Changed {
  readonly uri: string;
  readonly version: number | undefined;
  /** Without a range: the whole text. */
  readonly changes: readonly { readonly range?: Range; readonly text: string }[];
}

export function readChanged(params: unknown): Changed | undefined {
  const uri = readUri(params);
  const { textDocument, contentChanges } = fieldsOf(params);
  if (uri === undefined || !Array.isArray(contentChanges)) return undefined;
  const changes = contentChanges.map((change: unknown) => {
    const { text, range } = fieldsOf(change);
    const [content, place] = [textOf(text), readRange(range)];
    if (content === undefined || (range !== undefined && range !== null && !place)) return undefined;
    return { text: content, ...(place ? { range: place } : {}) };
  });
  const sound = changes.filter((change) => change !== undefined);
  return sound.length === changes.length ? { uri, version: readVersion(fieldsOf(textDocument).version), changes: sound } : undefined;
}

const readVersion = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? Number(value) : undefined);

/** The folders of a workspace; of a client that knows none, the one that it was started in. */
export function readFolders(params: unknown): readonly string[] {
  const { workspaceFolders, rootUri } = fieldsOf(params);
  if (Array.isArray(workspaceFolders)) return workspaceFolders.flatMap((folder: unknown) => textOf(fieldsOf(folder).uri) ?? []);
  return typeof rootUri === "string" ? [rootUri] : [];
}

/** What code actions are asked for, and whether the user has asked: a client that does not say means so. */
export function readContext(params: unknown): CodeActionContext | undefined {
  const { diagnostics, only, triggerKind } = fieldsOf(fieldsOf(params).context);
  if (!Array.isArray(diagnostics)) return undefined;
  const sound = diagnostics.filter((diagnostic: unknown): diagnostic is Diagnostic => readRange(fieldsOf(diagnostic).range) !== undefined);
  const kinds = Array.isArray(only) ? only.filter((kind: unknown) => typeof kind === "string") : undefined;
  const isAutomatic = triggerKind === CodeActionTriggerKind.Automatic;
  return {
    diagnostics: sound,
    triggerKind: isAutomatic ? CodeActionTriggerKind.Automatic : CodeActionTriggerKind.Invoked,
    ...(kinds ? { only: kinds } : {}),
  };
}

/** The files that changed on disk. */
export function readWatched(params: unknown): readonly string[] {
  const { changes } = fieldsOf(params);
  return Array.isArray(changes) ? changes.flatMap((change: unknown) => textOf(fieldsOf(change).uri) ?? []) : [];
}

/** Places that are none are left out: without them it is still known which document it is. */
export function readFocus(params: unknown): DidFocusParams | undefined {
  const { uri, position, visible } = fieldsOf(params);
  const of = textOf(uri);
  if (of === undefined) return undefined;
  const at = readPosition(position);
  const [start, end] = [countOf(fieldsOf(visible).start), countOf(fieldsOf(visible).end)];
  return {
    uri: of,
    ...(at ? { position: at } : {}),
    ...(start !== undefined && end !== undefined && start <= end ? { visible: { start, end } } : {}),
  };
}

export function readPanel(params: unknown): PanelParams | undefined {
  const { position, launch } = fieldsOf(params);
  const [uri, at, picked] = [readUri(params), readPosition(position), countOf(launch)];
  if (uri === undefined || !at || (launch !== undefined && picked === undefined)) return undefined;
  return { textDocument: { uri }, position: at, ...(picked === undefined ? {} : { launch: picked }) };
}

export function readWhatIf(params: unknown): WhatIfParams | undefined {
  const { version, launch, overrides } = fieldsOf(params);
  const [uri, index, other] = [readUri(params), countOf(launch), readOverrides(overrides)];
  if (uri === undefined || index === undefined || !other || !Number.isSafeInteger(version)) return undefined;
  return { textDocument: { uri }, version: Number(version), launch: index, overrides: other };
}

export function readWatchWarp(params: unknown): WatchWarpParams | undefined {
  const [question, warp] = [readWhatIf(params), readWarp(fieldsOf(params).warp)];
  return question && warp && { ...question, warp };
}

function readWarp(value: unknown): WatchWarpParams["warp"] | undefined {
  const { block, warp, place } = fieldsOf(value);
  const { kind, file, start, end, space, operation, bytesPerLane } = fieldsOf(place);
  const counts = [block, warp, file, start, end].map(countOf);
  const [inGrid, inBlock, of, from, to] = counts;
  if (inGrid === undefined || inBlock === undefined || of === undefined || from === undefined || to === undefined) return undefined;
  const at = { file: of, start: from, end: to };
  const name = { block: inGrid, warp: inBlock };
  if (kind === "branch") return { ...name, place: { kind, ...at } };
  const bytes = countOf(bytesPerLane);
  return kind === "access" && isSpace(space) && isOperation(operation) && bytes !== undefined
    ? { ...name, place: { kind, ...at, space, operation, bytesPerLane: bytes } }
    : undefined;
}

const isSpace = (value: unknown): value is AccessReport["space"] =>
  value === "global" || value === "shared" || value === "local" || value === "constant" || value === "texture";
const isOperation = (value: unknown): value is AccessReport["operation"] =>
  value === "load" || value === "store" || value === "atomic" || value === "copy";

export function readRulePage(params: unknown): RulePageParams | undefined {
  const id = textOf(fieldsOf(params).id);
  return id === undefined ? undefined : { id };
}

export function readReportParams(params: unknown): ReadReportParams | undefined {
  const { texts, files = [] } = fieldsOf(params);
  if (!Array.isArray(texts) || !Array.isArray(files) || !files.every((uri: unknown) => typeof uri === "string")) return undefined;
  const read = texts.flatMap((each: unknown) => {
    const [name, text] = [textOf(fieldsOf(each).name), textOf(fieldsOf(each).text)];
    return name === undefined || text === undefined ? [] : [{ name, text }];
  });
  return read.length === texts.length ? { texts: read, files } : undefined;
}

/** Those that are none are left out: they may have been kept by another version. */
export function readReports(params: unknown): ReportsParams | undefined {
  const { reports, shown } = fieldsOf(params);
  if (!Array.isArray(reports)) return undefined;
  const read = reports.flatMap((each: unknown): KeptReport[] => {
    const { id, loadedAt, report } = fieldsOf(each);
    const [of, at, found] = [textOf(id), countOf(loadedAt), readKeptReport(report)];
    return of === undefined || at === undefined || !found ? [] : [{ id: of, loadedAt: at, report: found }];
  });
  const picked = textOf(shown);
  return { reports: read, ...(picked === undefined ? {} : { shown: picked }) };
}

/** The action that is to be completed: as the client had it, whatever else it has. */
export const readAction = (params: unknown): CodeAction | undefined =>
  textOf(fieldsOf(params).title) === undefined ? undefined : (params as CodeAction);

/** The parameters of a request. @param wanted what they should be, for the error that is answered where they are not */
export function asked<T>(params: T | undefined, wanted: string): T {
  if (params === undefined) throw new ResponseError(ErrorCodes.InvalidParams, `the parameters should be ${wanted}`);
  return params;
}
