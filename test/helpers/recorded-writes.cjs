// Loaded before the tool by `--require`: appends to the file in WRITES what becomes of files, one call a line. A sync takes
// a while and counts when it has ended, so that a step that does not wait for it comes before it.
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const { resolve } = require("node:path");
const { setTimeout: delay } = require("node:timers/promises");

const { appendFileSync, existsSync } = fs;
const real = { ...fs.promises };
const pathOf = new WeakMap();

function record(...words) {
  appendFileSync(process.env.WRITES, `${JSON.stringify(words)}\n`);
}

/** Records the calls on open files, which share these methods. */
function follow(handles) {
  const { sync, datasync, write, writeFile } = handles;
  for (const [name, method] of Object.entries({ sync, datasync })) {
    handles[name] = async function () {
      await delay(10);
      await method.call(this);
      record("sync", pathOf.get(this));
    };
  }
  for (const [name, method] of Object.entries({ write, writeFile })) {
    handles[name] = function (...args) {
      record("write", pathOf.get(this));
      return method.apply(this, args);
    };
  }
}

let isFollowed = false;

fs.promises.open = async (path, ...args) => {
  const handle = await real.open(path, ...args);
  pathOf.set(handle, resolve(path));
  if (!isFollowed) {
    isFollowed = true;
    follow(Object.getPrototypeOf(handle));
  }
  return handle;
};
for (const name of ["rename", "link"]) {
  fs.promises[name] = (from, to) => {
    record(name, resolve(from), resolve(to));
    return real[name](from, to);
  };
}
for (const name of ["rm", "unlink"]) {
  fs.promises[name] = (path, ...args) => {
    if (existsSync(path)) {
      record("remove", resolve(path));
    }
    return real[name](path, ...args);
  };
}
syncBuiltinESMExports();
