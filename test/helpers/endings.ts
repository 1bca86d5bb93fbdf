import { afterAll } from "vitest";

/** Registers a function that closes something: `onTestFinished` of vitest, or the result of `afterAllTests`. */
export type OnEnd = (close: () => Promise<void>) => void;

/** Closes what was registered, newest first, after all tests of the file. Call it at the top of the file. */
export function afterAllTests(): OnEnd {
  const closers: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closers.reverse()) {
      await close();
    }
  });
  return (close) => {
    closers.push(close);
  };
}
