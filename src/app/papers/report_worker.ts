/** The script of the report worker. reporter.ts is the page's side of the connection. */
import { expose } from 'comlink';

import { ReportService } from './report_service.js';

expose(new ReportService());
