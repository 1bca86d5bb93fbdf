import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Folders } from "./environment.ts";

/**
 * The tool's folders by the conventions of the platform; there are none for a user without a home folder, such as a bare
 * user id in a container. The `env-paths` package fails without a home folder, and accepts the relative paths that the XDG
 * specification says to ignore.
 */
export function userFolders(platform: NodeJS.Platform, env: Readonly<Record<string, string | undefined>>): Folders {
  const home = homeFolder();
  const folder = (variable: string, ...path: readonly string[]) => {
    const parent = [env[variable], home && join(home, ...path)].find((one) => one !== undefined && isAbsolute(one));
    return parent && join(parent, "catalog");
  };
  if (platform === "darwin") {
    const library = (name: string) => home && join(home, "Library", name, "catalog");
    return { config: library("Preferences"), data: library("Application Support"), cache: library("Caches") };
  }
  if (platform === "win32") {
    const local = folder("LOCALAPPDATA", "AppData", "Local");
    const roaming = folder("APPDATA", "AppData", "Roaming");
    return {
      config: roaming && join(roaming, "Config"),
      data: local && join(local, "Data"),
      cache: local && join(local, "Cache"),
    };
  }
  return {
    config: folder("XDG_CONFIG_HOME", ".config"),
    data: folder("XDG_DATA_HOME", ".local", "share"),
    cache: folder("XDG_CACHE_HOME", ".cache"),
  };
}

function homeFolder(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}
