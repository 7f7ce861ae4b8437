/**
 * What is readable in one turn of the event loop arrived together, but is handed over one by one: work that never waits would each time find its slot
 * free again, and no gate would ever see that there is too much of it. So it holds its slot until the turn is over.
 */
let ends: (() => void)[] | null = null
let turn = 0

const over = (): void => {
  const due = ends ?? []
  ends = null
  turn++
  for (const end of due) end()
}

/** The turn that this is: for work that begins in it. */
export const thisTurn = (): number => {
  if (ends === null) {
    ends = []
    setImmediate(over)
  }
  return turn
}

/** Ends work that began in this turn when the turn is over; other work at once. */
export const endAfter = (began: number, end: () => void): void => {
  if (began === turn && ends !== null) ends.push(end)
  else end()
}
