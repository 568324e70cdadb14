import { type PlaywrightTestOptions, type PlaywrightWorkerOptions, defineConfig } from '@playwright/test';

import type { Database } from './harness/server.ts';
import type { WorkerOptions } from './harness/test.ts';

/** What makes two runs look the same: one language, one time zone, no motion, no colour management. */
const chromium: Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> = {
  browserName: 'chromium',
  locale: 'en-GB',
  timezoneId: 'UTC',
  contextOptions: { reducedMotion: 'reduce' },
  launchOptions: {
    executablePath: process.env.CHROMIUM_BIN ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--font-render-hinting=none',
      '--force-color-profile=srgb',
    ],
  },
};

/** Specs that need another browser than the usual one. */
const special = ['**/no-scripts.spec.ts', '**/phone.spec.ts'];

/** Specs for every browser: what finds, explains and helps must do so with and without scripts, on every screen. */
const everywhere = ['specs/{explain,troubleshoot}.spec.ts', 'specs/{find,saved-filters}.spec.ts'];

/** What servers of a project keep their data in; TEST_DATABASE makes it the same for all of them. */
const on = (database: Database) => ({ database: (process.env.TEST_DATABASE as Database | undefined) ?? database });

export default defineConfig<object, WorkerOptions>({
  testDir: '.',
  outputDir: 'test-results',
  // Every worker starts a server of its own.
  workers: 2,
  fullyParallel: false,
  retries: 0,
  forbidOnly: true,
  // Generous: nothing here measures time, and a slow machine must not fail a test.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [['list']],
  use: { ...chromium, actionTimeout: 60_000, navigationTimeout: 60_000, screenshot: 'only-on-failure' },
  projects: [
    {
      name: 'scripts',
      testMatch: 'specs/**/*.spec.ts',
      testIgnore: special,
      use: { viewport: { width: 1440, height: 1000 }, ...on('sqlite') },
    },
    {
      name: 'no-scripts',
      // These work with and without scripts.
      testMatch: [
        'specs/no-scripts.spec.ts',
        'specs/access/*.spec.ts',
        'specs/new-delegate.spec.ts',
        'specs/{group,instance}-page.spec.ts',
        ...everywhere,
      ],
      use: { viewport: { width: 1440, height: 1000 }, javaScriptEnabled: false, ...on('postgres') },
    },
    {
      name: 'phone',
      testMatch: ['specs/phone.spec.ts', ...everywhere],
      use: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, ...on('pair') },
    },
    ...(process.env.SCREENSHOTS ? [{ name: 'screenshots', testMatch: 'screenshots.ts' }] : []),
  ],
});
