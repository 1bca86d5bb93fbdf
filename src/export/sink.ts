import type { Destination } from "../output/destination/destination.ts";
import type { Chunk, RowEncoder } from "../output/formats/encoder.ts";
import type { RowSink } from "../pull/pull.ts";

/** A sink that its owner finishes or abandons. */
export interface OpenSink extends RowSink {
  /** Writes the end of the format; then the output is complete and in its place. */
  finish(): Promise<void>;
  abandon(): Promise<void>;
}

/** Writes rows to a destination in one format. */
export function createSink(destination: Destination, createEncoder: () => RowEncoder): OpenSink {
  let encoder: RowEncoder | undefined;
  const put = async (chunk: Chunk): Promise<void> => {
    if (chunk.length > 0) {
      await destination.write(chunk);
    }
  };
  const begun = async (): Promise<RowEncoder> => {
    if (encoder === undefined) {
      encoder = createEncoder();
      await put(await encoder.begin());
    }
    return encoder;
  };
  return {
    write: async (rows) => put(await (await begun()).encode(rows)),
    restart: async () => {
      encoder = undefined;
      return await destination.restart();
    },
    finish: async () => {
      await put(await (await begun()).end());
      await destination.finish();
    },
    abandon: () => destination.abandon(),
  };
}
