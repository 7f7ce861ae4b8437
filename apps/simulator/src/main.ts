#!/usr/bin/env node
import { runCommand } from './cli/run.ts'

process.exitCode = await runCommand(process.argv.slice(2), {
  environment: process.env,
  print: (text) => process.stdout.write(`${text}\n`),
  tell: (text) => process.stderr.write(`${text}\n`),
})
