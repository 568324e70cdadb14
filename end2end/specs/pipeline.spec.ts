import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';

import { registerAll } from '../harness/delegate.ts';
import { environment, program } from '../harness/programs.ts';
import { expect, test } from '../harness/test.ts';

/** Exit code and what it printed. */
function check(args: string[]): Promise<{ code: number; printed: string }> {
  return new Promise((done) => {
    const child = execFile(program('rollcall'), ['check', ...args], { env: environment() }, (error, stdout, stderr) => {
      done({ code: error ? Number(error.code) : 0, printed: stdout + stderr });
    });
    child.stdin?.end();
  });
}

test('A pipeline stops before it meets an expired delegate, and names it', async ({ account, versions }, info) => {
  const key = info.outputPath('key');
  await writeFile(key, account.headers['x-api-key'] ?? '');
  const remote = ['--url', account.server.url, '--api-key-file', key];
  await registerAll(account, [{ name: 'fine', version: versions.latest }]);
  expect(await check([...remote, '--max-expired', '0', '--within', '14d'])).toMatchObject({ code: 0 });

  await registerAll(account, [{ name: 'old', version: versions.expired }]);
  const stopped = await check([...remote, '--max-expired', '0', '--within', '14d']);
  expect(stopped.code).toBe(1);
  expect(stopped.printed).toContain('too many  1 expired, 0 allowed');
  expect(stopped.printed).toMatch(/^expired\s+old\s/m);
});
