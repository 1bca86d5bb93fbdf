import { chmod, chown, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dangerOf } from "../../src/config/trusted-path.ts";
import { FileError } from "../../src/contract/errors.ts";
import { temporaryFolder } from "../helpers/cli.ts";

/** The user id of this process. */
const user = process.geteuid?.();

/** The user id of somebody else. */
const STRANGER = 54_321;

/** A file in `folder`, which only this user can change. */
async function setUp() {
  const root = await temporaryFolder();
  const folder = join(root, "my conf");
  const path = join(folder, "config.toml");
  await mkdir(folder, { mode: 0o700 });
  await writeFile(path, "", { mode: 0o600 });
  return { root, folder, path };
}

/** Makes `path` the file of another user. Only root can do this; others become another user. @returns the id of this user */
async function giveAway(path: string): Promise<number | undefined> {
  if (user !== 0) {
    return STRANGER;
  }
  await chown(path, STRANGER, STRANGER);
  return user;
}

test("nobody else can change a file of this user in folders of this user or root, also in a sticky one", async () => {
  const { folder, path } = await setUp();
  expect(await dangerOf(path, user)).toBeUndefined();
  await chmod(folder, 0o1777);
  expect(await dangerOf(path, user)).toBeUndefined();
});

// Only root can give files away.
test.runIf(user === 0)("what belongs to this user or to root is safe, one beside the other", async () => {
  const { folder, path } = await setUp();
  await chown(folder, STRANGER, STRANGER);
  await chown(path, STRANGER, STRANGER);
  expect(await dangerOf(path, STRANGER)).toBeUndefined();
});

describe("others can change", () => {
  test.each(["620", "602", "660"])("a file of the mode %s", async (mode) => {
    const { path } = await setUp();
    await chmod(path, Number.parseInt(mode, 8));
    expect(await dangerOf(path, user)).toBe(
      `other users of this machine can change ${path}. Check the configuration file, then run \`chmod 600 '${path}'\`.`,
    );
  });

  test.each(["770", "777", "703"])("a file in a folder of the mode %s, or below one", async (mode) => {
    const { root, folder, path } = await setUp();
    await chmod(folder, Number.parseInt(mode, 8));
    expect(await dangerOf(path, user)).toBe(
      `other users of this machine can change the folder ${folder}. Check the configuration file, then run \`chmod go-w '${folder}'\`.`,
    );
    await chmod(folder, 0o700);
    await chmod(root, Number.parseInt(mode, 8));
    expect(await dangerOf(path, user)).toContain(`can change the folder ${root}. `);
  });

  test("a file that is reached by a link in such a folder", async () => {
    const { root, path } = await setUp();
    const open = join(root, "open");
    await mkdir(open);
    await chmod(open, 0o777);
    await symlink(path, join(open, "link.toml"));
    expect(await dangerOf(join(open, "link.toml"), user)).toContain(`can change the folder ${open}. `);
  });

  test("the target of a link, relative or absolute", async () => {
    const { root, folder, path } = await setUp();
    await symlink("my conf/config.toml", join(root, "relative.toml"));
    await symlink(folder, join(root, "absolute"));
    const links = [join(root, "relative.toml"), join(root, "absolute", "config.toml")];
    expect(await Promise.all(links.map((link) => dangerOf(link, user)))).toEqual([undefined, undefined]);
    await chmod(path, 0o620);
    for (const link of links) {
      expect(await dangerOf(link, user)).toContain(`can change ${path}. `);
    }
  });

  test.each(["path", "folder"] as const)("what belongs to them: the %s", async (part) => {
    const paths = await setUp();
    const me = await giveAway(paths[part]);
    expect(await dangerOf(paths.path, me)).toMatch(/ belongs to another user of this machine \(uid \d+\)\. Use a /);
  });
});

test("a path that leads nowhere, or through links without end, is refused", async () => {
  const { root } = await setUp();
  const missing = join(root, "missing", "config.toml");
  await expect(dangerOf(missing, user)).rejects.toThrow(`${join(root, "missing")} cannot be checked: ENOENT`);
  const loop = join(root, "loop");
  await symlink("loop", loop);
  await expect(dangerOf(loop, user)).rejects.toStrictEqual(
    new FileError(`${loop} cannot be checked: too many symbolic links`, loop),
  );
});

test.each([
  [40, undefined],
  [41, "too many symbolic links"],
])("%d links one after another: %s", async (links, refusal) => {
  const { root, path } = await setUp();
  let target = path;
  for (let number = 0; number < links; number += 1) {
    const link = join(root, `link-${number}`);
    await symlink(target, link);
    target = link;
  }
  const danger = dangerOf(target, user);
  await (refusal === undefined ? expect(danger).resolves.toBeUndefined() : expect(danger).rejects.toThrow(refusal));
});
