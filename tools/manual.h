/* The manual page and the completion of bash, from the tables of commands and operators. */
#ifndef AIC_TOOLS_MANUAL_H
#define AIC_TOOLS_MANUAL_H

/* Each prints to standard output and returns an exit status. */
int manual_page(void);
int manual_completion(void);

#endif
