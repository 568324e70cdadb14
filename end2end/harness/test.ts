import { type Page, test as base } from '@playwright/test';

import { Account } from './account.ts';
import { type Versions, catalog } from './catalog.ts';
import { Keyboard } from './keyboard.ts';
import { type Database, Server, chooseDatabase } from './server.ts';
import { type Showcase, showcase } from './showcase.ts';

interface Guard {
  /** Says that this test causes such errors on purpose. */
  expect(...patterns: RegExp[]): void;
}

/** What a project may choose. */
export interface WorkerOptions {
  /** What servers keep their data in. */
  database: Database;
}

interface WorkerFixtures {
  /** Comes before any server. */
  databaseChosen: void;
  /** A server of this worker, with the catalog of today. */
  server: Server;
  /** A version of each state. */
  versions: Versions;
  /** A fleet in every state that no test changes. */
  shown: Showcase;
}

interface Fixtures {
  /** An account without delegates that belongs to this test alone. */
  account: Account;
  /** Fails the test on any error in the browser. */
  guard: Guard;
  /** Whether scripts run in this project. */
  scripts: boolean;
  /** Somebody who has a keyboard only. */
  keys: Keyboard;
}

/** Tests with a real server; each fails on any console error, page error or breach of the content security policy. */
export const test = base.extend<Fixtures, WorkerOptions & WorkerFixtures>({
  database: ['sqlite', { option: true, scope: 'worker' }],

  databaseChosen: [
    async ({ database }, use) => {
      chooseDatabase(database);
      await use();
    },
    { auto: true, scope: 'worker' },
  ],

  versions: [
    async ({}, use) => {
      await use(await catalog());
    },
    { scope: 'worker' },
  ],

  server: [
    async ({ versions, databaseChosen: _ }, use) => {
      const server = await Server.create();
      await server.importCatalog(versions.document);
      await use(server);
      await server.dispose();
    },
    { scope: 'worker' },
  ],

  shown: [
    async ({ server, versions }, use) => {
      await use(await showcase(server, versions));
    },
    { scope: 'worker' },
  ],

  /** The admin is signed in everywhere. */
  storageState: async ({ server }, use) => {
    await use({ cookies: server.signedIn, origins: [] });
  },

  scripts: async ({ javaScriptEnabled }, use) => {
    await use(javaScriptEnabled !== false);
  },

  keys: async ({ page, scripts }, use) => {
    await use(new Keyboard(page, scripts));
  },

  account: async ({ server }, use) => {
    await use(await Account.create(server));
  },

  guard: [
    async ({ page }, use) => {
      const errors: string[] = [];
      const expected: RegExp[] = [];
      watch(page, errors);
      await use({ expect: (...patterns) => void expected.push(...patterns) });
      const unexpected = errors.filter((error) => !expected.some((pattern) => pattern.test(error)));
      if (unexpected.length > 0) throw new Error(`errors in the browser:\n${unexpected.join('\n')}`);
    },
    { auto: true },
  ],

  /** Paths are those of this worker's server. */
  baseURL: async ({ server }, use) => {
    await use(server.url);
  },
});

export { expect } from '@playwright/test';

function watch(page: Page, errors: string[]): void {
  page.on('pageerror', (error) => errors.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    // A breach of the content security policy is reported as an error, too.
    if (message.type() === 'error') errors.push(`console: ${message.text()} (${message.location().url})`);
  });
}
