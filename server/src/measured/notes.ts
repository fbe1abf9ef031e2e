/** Takes what is wrong with a report: at which row of its text, and which column, by its name; a sentence without its end. */
export type Note = (row: number, problem: string, column?: string) => void;
