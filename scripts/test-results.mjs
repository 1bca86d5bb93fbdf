// Prints "PASSED FAILED" of vitest's JSON report, then the name and message of each test that failed.
import { readFileSync } from "node:fs";

const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
const tests = report.testResults.flatMap((file) => file.assertionResults.map((test) => ({ file: file.name, ...test })));
const failed = tests.filter((test) => test.status === "failed");
// A file that could not be collected has no tests of its own.
const broken = report.testResults.filter(
  (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
);
console.log(`${report.numPassedTests} ${failed.length + broken.length}`);
for (const test of failed) {
  console.log(`FAILED ${test.file} > ${test.fullName}\n${test.failureMessages.join("\n")}`);
}
for (const file of broken) console.log(`FAILED ${file.name}\n${file.message}`);
