import { ActionIcon, Menu } from '@mantine/core'
import { IconLogout, IconUser } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { meQuery } from '../api/queries.ts'
import { signOut } from '../api/session.ts'
import classes from './shell.module.css'

export const UserMenu = () => {
  const { data: me } = useQuery(meQuery)
  const client = useQueryClient()
  const navigate = useNavigate()
  const leave = async () => {
    await signOut().catch(() => {})
    client.clear()
    await navigate({ to: '/sign-in', search: {} })
  }
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Account of ${me?.name ?? 'you'}`}>
          <IconUser size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {me?.name}, {me?.role}
          <span className={classes.email}>{me?.email}</span>
        </Menu.Label>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
