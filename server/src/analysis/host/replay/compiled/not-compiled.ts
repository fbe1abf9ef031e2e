/** The code has something that closures alone do, or comes to something that they are to tell. */
export class NotCompiled extends Error {}
