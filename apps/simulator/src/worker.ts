/**
 * One forecast, for a parent that wants it away from its own thread: the question as JSON on standard input, the answer as JSON on standard output. The
 * parent has checked everything in it. Its time and memory are bounded by whoever starts it.
 */
import { text } from 'node:stream/consumers'
import { forecast } from './forecast/forecast.ts'

process.stdout.write(JSON.stringify(await forecast(JSON.parse(await text(process.stdin)))))
