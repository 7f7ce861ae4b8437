import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { serviceNamesQuery } from '../api/queries.ts'

const TYPING_MS = 200
const NONE: readonly string[] = []

/** Services to choose from in a field that is searched: the first of them by name, or those with the text in it. `chosen`: what the field says untouched. */
export const useServiceNames = (environment: string, chosen = '') => {
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text === chosen ? '' : text.trim(), TYPING_MS)
  const { data = NONE } = useQuery(serviceNamesQuery(environment, asked))
  return { names: data, searchValue: text, onSearchChange: setText }
}
