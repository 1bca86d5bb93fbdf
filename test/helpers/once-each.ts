/** Makes something once for each of its arguments, for tests that look at the same thing and do not change it. */
export function onceEach<Args extends readonly unknown[], Made>(
  make: (...args: Args) => Promise<Made>,
): (...args: Args) => Promise<Made> {
  const all = new Map<string, Promise<Made>>();
  return (...args) => {
    const key = JSON.stringify(args);
    const made = all.get(key) ?? make(...args);
    all.set(key, made);
    return made;
  };
}
