/** What is known of an element of an array, and whether the loop stored it. */
export const untouched = 0;
export const known = 1;
export const unknown = 2;
export const written = 4;
