#!/usr/bin/env node
import { runCommand } from './run.ts'

process.exitCode = await runCommand(process.argv.slice(2), {
  environment: process.env,
  cwd: process.cwd(),
  input: process.stdin,
  print: console.log,
  tell: console.error,
})
