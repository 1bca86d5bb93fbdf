import { Writable } from "node:stream";

/** A stream whose every write fails as the system call would with `code`. */
export function failingStream(code: string): Writable {
  return new Writable({
    write: (_chunk, _encoding, callback) => callback(Object.assign(new Error(`write ${code}`), { code })),
  });
}

/** What a promise rejects with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => {
      throw new Error("it did not reject");
    },
    (error: unknown) => error,
  );
}
