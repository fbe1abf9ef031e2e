/** Names that git tells and nobody can ask for. */
import { NotRead } from "../../syntax/file-text.ts";

/** Whether a name is UTF-8: what is none of it was read as a replacement character. */
export const isNamed = (name: string): boolean => !name.includes("\uFFFD");

export const notNamed = new NotRead("its name is not UTF-8");
