import manifest from "../package.json" with { type: "json" };

/** Version of the tool, as released. */
export const VERSION: string = manifest.version;
