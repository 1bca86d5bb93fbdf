// In mutation tests, a constant counts as run by the test that loads its module, and no other one tries its mutants then. So
// tests load before they begin what formats load when it is needed.
import "../../../src/output/formats/csv.ts";
import "../../../src/output/formats/parquet/parquet.ts";
import "../../../src/output/formats/parquet/parquet-rows.ts";
import "../../../src/output/formats/xlsx/read-sheet.ts";
import "../../../src/output/formats/xlsx/xlsx.ts";
