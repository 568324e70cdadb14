import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';

import initSqlJs from 'sql.js';

/** Bytes 18 and 19 of a SQLite file say how it is written: 2 is write-ahead, 1 is the form that sql.js can open. */
const FORMAT = [18, 19] as const;

/**
 * Changes a SQLite file that no process has open.
 *
 * For states that take minutes or hours to come about by themselves.
 */
export async function edit(file: string, statements: string[]): Promise<void> {
  if (existsSync(`${file}-wal`)) throw new Error('the database is still open, or its last owner was killed');
  const bytes = await readFile(file);
  for (const at of FORMAT) bytes[at] = 1;
  const { Database } = await initSqlJs();
  const database = new Database(bytes);
  for (const statement of statements) database.run(statement);
  await writeFile(file, database.export());
  database.close();
}

/** Makes the last heartbeat of some instances as old as said; those of the others are what their rows say. */
export function silentFor(milliseconds: number, account: string, where: string): string {
  return `DELETE FROM heartbeats;
          UPDATE instances SET last_heartbeat = ${Date.now() - milliseconds}
          WHERE account = '${account}' AND (${where})`;
}
