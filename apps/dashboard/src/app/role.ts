import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../api/queries.ts'

/** What the signed-in operator may do; the server decides, this only hides what it would refuse. */
export const useRole = () => {
  const { data } = useQuery(meQuery)
  return { canEdit: data?.role === 'editor' || data?.role === 'admin', canAdmin: data?.role === 'admin' }
}
