import { Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { PolicyVersion } from '@weir/api'
import { useState } from 'react'
import { policyQuery, versionsQuery } from '../../api/queries.ts'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { When } from '../../ui/when.tsx'
import { VersionModal } from './version-modal.tsx'

export const History = () => {
  const { environment, service } = useParams({ from: '/app/e/$environment/s/$service/history' })
  const query = useInfiniteQuery(versionsQuery(environment, service))
  const policy = useQuery(policyQuery(environment, service))
  const [chosen, setChosen] = useState<PolicyVersion | null>(null)
  return (
    <Panel
      title="Published versions"
      hint="The newest first. A version never changes; rolling back publishes an earlier one again."
    >
      <Ready query={query}>
        {({ pages }) => {
          const versions = pages.flatMap(({ items }) => items)
          if (versions.length === 0)
            return (
              <Empty title="Nothing was published yet">
                <p>Until then the agents of this service observe: they count everything and refuse nothing.</p>
              </Empty>
            )
          return <Versions versions={versions} current={policy.data?.data.version} onChoose={setChosen} />
        }}
      </Ready>
      {query.hasNextPage && (
        <Button
          mt="sm"
          size="xs"
          variant="default"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show earlier versions
        </Button>
      )}
      <VersionModal
        environment={environment}
        service={service}
        version={chosen}
        policy={policy.data}
        onClose={() => setChosen(null)}
      />
    </Panel>
  )
}

interface VersionsProps {
  readonly versions: readonly PolicyVersion[]
  readonly current: number | undefined
  readonly onChoose: (version: PolicyVersion) => void
}

const Versions = ({ versions, current, onChoose }: VersionsProps) => (
  <div className={ui.scroll}>
    <table className={ui.table} style={{ minWidth: 680 }}>
      <thead>
        <tr>
          <th scope="col">Version</th>
          <th scope="col" className={ui.number}>
            Revision
          </th>
          <th scope="col">Published</th>
          <th scope="col">By</th>
          <th scope="col">Reason</th>
          <th scope="col">
            <span className={ui.dim}>Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {versions.map((version) => (
          <tr key={version.version}>
            <td>
              <b>{version.version}</b> {version.version === current && <span className={ui.good}>in force</span>}
            </td>
            <td className={ui.number}>{version.revision}</td>
            <td>
              <When time={version.createdAt} />
            </td>
            <td>{version.author}</td>
            <td>
              {version.reason}
              {version.rolledBackTo !== null && <span className={ui.dim}> (version {version.rolledBackTo} again)</span>}
            </td>
            <td>
              <Button size="compact-xs" variant="default" onClick={() => onChoose(version)}>
                View{version.version !== current && ' or roll back'}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
