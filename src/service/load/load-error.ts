/** A source cannot be loaded. None of its rows was added. The message begins with the name of the source. */
export class LoadError extends Error {
  override readonly name = "LoadError";
}
