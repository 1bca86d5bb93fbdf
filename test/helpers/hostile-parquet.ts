import { ByteWriter, ParquetWriter } from "hyparquet-writer";

/** A Parquet file with a column of -1 children: who walks over the columns by these numbers never comes to the end. */
export function parquetWithoutEnd(): Buffer {
  const writer = new ByteWriter();
  const schema = [
    { name: "schema", num_children: 2 },
    { name: "sku", type: "BYTE_ARRAY" },
    { name: "title", num_children: -1 },
  ] as const;
  new ParquetWriter({ writer, schema: [...schema] }).finish();
  return Buffer.from(writer.getBuffer());
}
