/** A source cannot be loaded. None of its rows was added. The message begins with its name. */
export class LoadError extends Error {
  override readonly name = "LoadError";
}
