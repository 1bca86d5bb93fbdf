// In mutation tests, a constant counts as run by the test that loads its module, and no other one tries its mutants then. So
// tests load before they begin what formats load when it is needed.
import "../../../src/export/formats/csv.ts";
import "../../../src/export/formats/parquet.ts";
import "../../../src/export/formats/xlsx/xlsx.ts";
