// Loaded before the tool by the tests of pages: the clock stands where the pages were written, and output that goes to the
// page's transcript goes to a terminal of 100 columns.
import { fstatSync } from "node:fs";

const shift = Date.parse("2026-11-22T06:00:00Z") - Date.now();
const now = Date.now.bind(Date);
Date.now = () => now() + shift;

// Both streams of a command go to the transcript; a redirected one does not.
const [output, errors] = [fstatSync(1), fstatSync(2)];
if (output.isFile() && output.ino === errors.ino) {
  process.stdout.isTTY = true;
  process.stdout.columns = 100;
}
