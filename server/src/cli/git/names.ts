/** Why what git tells of is not read. */
import { NotRead } from "../../syntax/file-text.ts";

/** Whether a name is UTF-8: what is none of it was read as a replacement character. */
export const isNamed = (name: string): boolean => !name.includes("\uFFFD");

export const notNamed = new NotRead("its name is not UTF-8");

/** Its store is broken, or a partial clone. */
export const lost = new NotRead("git does not have it here, or not whole");
