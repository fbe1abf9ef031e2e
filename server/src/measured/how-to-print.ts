/** How a report file becomes text, for messages. */
export const howToPrint = (file: string): string => `ncu --import ${file} --csv --page raw > report.csv`;
