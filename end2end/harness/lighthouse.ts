import { createServer } from 'node:net';

import { chromium } from '@playwright/test';

import type { Server } from './server.ts';

/** What Lighthouse says of one page; scores from 0 to 1, times in milliseconds. */
export interface Report {
  performance: number;
  accessibility: number;
  bestPractices: number;
  largestContentfulPaint: number;
  totalBlockingTime: number;
  layoutShift: number;
  /** Names of the checks of accessibility and best practices that a page does not pass wholly. */
  failed: string[];
}

/** How often a page that was not seen is looked at again. */
const MISSES = 2;

/** Looks at a page as the signed-in admin, with the desktop preset. */
export async function lighthouse(server: Server, path: string): Promise<Report> {
  // Loaded when it is needed: it is large.
  const { default: run, desktopConfig } = await import('lighthouse');
  const port = await freePort();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_BIN ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-quic', '--no-first-run', `--remote-debugging-port=${port}`],
  });
  try {
    const flags = {
      port,
      logLevel: 'error' as const,
      extraHeaders: { cookie: server.headers.cookie ?? '' },
      onlyCategories: ['performance', 'accessibility', 'best-practices'],
    };
    let result = await run(server.url + path, flags, desktopConfig);
    // On a busy machine it sometimes misses the first paint, and then it has looked at nothing.
    for (let again = 0; result?.lhr.runtimeError && again < MISSES; again += 1) {
      result = await run(server.url + path, flags, desktopConfig);
    }
    if (!result) throw new Error(`Lighthouse says nothing of ${path}`);
    const { audits, categories, runtimeError } = result.lhr;
    if (runtimeError) throw new Error(`Lighthouse could not look at ${path}: ${runtimeError.message}`);
    const score = (name: string) => categories[name]?.score ?? 0;
    const value = (name: string) => audits[name]?.numericValue ?? Number.NaN;
    const failed = ['accessibility', 'best-practices'].flatMap((category) =>
      (categories[category]?.auditRefs ?? [])
        .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
        .map(({ id }) => id),
    );
    return {
      performance: score('performance'),
      accessibility: score('accessibility'),
      bestPractices: score('best-practices'),
      largestContentfulPaint: value('largest-contentful-paint'),
      totalBlockingTime: value('total-blocking-time'),
      layoutShift: value('cumulative-layout-shift'),
      failed,
    };
  } finally {
    await browser.close();
  }
}

function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const probe = createServer();
    probe.once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => found(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
