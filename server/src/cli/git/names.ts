/** Names that git tells, and why what it tells of is not read. */
import { NotRead } from "../../syntax/file-text.ts";

/** One that is not UTF-8 gets halves of surrogate pairs, which no UTF-8 has, so that it is told from all others and opens no file. */
export function nameOf(bytes: Buffer): string {
  const name = bytes.toString("utf8");
  if (Buffer.from(name).equals(bytes)) return name;
  return bytes.toString("latin1").replace(/[\x80-\xff]/g, (byte) => String.fromCharCode(lowSurrogates + byte.charCodeAt(0)));
}

const lowSurrogates = 0xdc00;

/** Whether a name is UTF-8. */
export const isNamed = (name: string): boolean => !/\p{Cs}/u.test(name);

/** As any text can hold it. */
export const shownName = (name: string): string => name.replace(/\p{Cs}/gu, "\uFFFD");

export const notNamed = new NotRead("its name is not UTF-8");

/** Its store is broken, or a partial clone. */
export const lost = new NotRead("git does not have it here, or not whole");
