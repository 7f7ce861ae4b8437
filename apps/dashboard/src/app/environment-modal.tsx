import { Modal } from '@mantine/core'
import { CreateEnvironment } from '../pages/overview/no-environment.tsx'

const EnvironmentModal = ({ onClose }: { onClose: () => void }) => (
  <Modal opened onClose={onClose} title="Add an environment">
    <CreateEnvironment onDone={onClose} />
  </Modal>
)

export default EnvironmentModal
